# Troupe of this checkout: docker build --tag troupe . See docs/operating/container.md.
ARG NODE_IMAGE=node:20-bookworm-slim
ARG BASE_IMAGE=debian:bookworm-slim

FROM ${NODE_IMAGE} AS node

FROM node AS build
RUN apt-get update && apt-get install --yes --no-install-recommends gcc libc6-dev make
WORKDIR /troupe
COPY . .
RUN make build
# D1635: npm installs a packed file with the newest versions of what it depends on, so it is unpacked where its lock file can be beside it.
# The package has no compiled code of its program: it is that of this build.
RUN npm pack --ignore-scripts --pack-destination /tmp && install --directory /opt/troupe/bin /opt/troupe/lib/node_modules/troupe \
 && tar --extract --file /tmp/troupe-*.tgz --strip-components 1 --directory /opt/troupe/lib/node_modules/troupe \
 && cp package-lock.json /opt/troupe/lib/node_modules/troupe/ \
 && npm ci --prefix /opt/troupe/lib/node_modules/troupe --omit=dev --ignore-scripts --no-audit --no-fund \
 && rm /opt/troupe/lib/node_modules/troupe/package-lock.json \
 && cp dist/bin/program/*.cjs.v* /opt/troupe/lib/node_modules/troupe/dist/bin/program/ \
 && ln --symbolic ../lib/node_modules/troupe/dist/bin/troupe.js /opt/troupe/bin/troupe

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
