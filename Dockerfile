# Troupe of this checkout: docker build --tag troupe . See docs/operating/container.md.
ARG NODE_IMAGE=node:20-bookworm-slim
ARG BASE_IMAGE=debian:bookworm-slim

FROM ${NODE_IMAGE} AS node

FROM node AS build
RUN apt-get update && apt-get install --yes --no-install-recommends gcc libc6-dev make
WORKDIR /troupe
COPY . .
# The package has launchers for published releases only, and no compiled code of its program: both are those of this build.
RUN make build && npm pack --pack-destination /tmp \
 && npm install --global --prefix /opt/troupe /tmp/troupe-*.tgz \
 && cp --recursive dist/launcher /opt/troupe/lib/node_modules/troupe/dist/ \
 && cp dist/bin/program.cjs.v* /opt/troupe/lib/node_modules/troupe/dist/bin/

FROM ${BASE_IMAGE}
# nats-server is for a coordinator, tini is process 1: Node would not collect processes that steps have left behind.
RUN apt-get update && apt-get install --yes --no-install-recommends ca-certificates nats-server tini \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/* \
 && useradd --uid 1000 --gid 0 --home-dir /var/lib/troupe --no-create-home --shell /bin/sh troupe \
 # Of the group root, too: where the user has any number (OpenShift), its group is that.
 && install --directory --mode=0770 --owner=troupe --group=root /var/lib/troupe
COPY --from=node /usr/local/bin/node /usr/local/bin/
COPY --from=build /opt/troupe /usr/local
COPY docs/operating/health.mjs /usr/local/lib/troupe-health.mjs
USER 1000:0
ENV ENGINE_HOME=/var/lib/troupe
WORKDIR /var/lib/troupe
VOLUME /var/lib/troupe
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s CMD ["node", "/usr/local/lib/troupe-health.mjs"]
ENTRYPOINT ["tini", "--", "troupe"]
CMD ["start-all", "--host", "0.0.0.0"]
