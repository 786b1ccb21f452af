# Troupe of this checkout, and a NATS server for its coordinator: docker build --tag troupe .
FROM node:20-bookworm-slim AS build
RUN apt-get update && apt-get install --yes --no-install-recommends gcc libc6-dev make
WORKDIR /troupe
COPY . .
# The package has launchers for published releases only; this one is compiled here.
RUN make build && npm pack --pack-destination /tmp \
 && npm install --global --prefix /opt/troupe /tmp/troupe-*.tgz \
 && cp --recursive dist/launcher /opt/troupe/lib/node_modules/troupe/dist/

FROM node:20-bookworm-slim
RUN apt-get update && apt-get install --yes --no-install-recommends nats-server && rm -rf /var/lib/apt/lists/* \
 && install --directory --mode=0700 --owner=node /var/lib/troupe
COPY --from=build /opt/troupe /usr/local
USER node
ENV ENGINE_HOME=/var/lib/troupe
VOLUME /var/lib/troupe
ENTRYPOINT ["troupe"]
