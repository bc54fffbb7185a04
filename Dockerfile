# Holdfast's image, a drop-in for Azurite's: docker build -t holdfast .
# Both images may be replaced, for example by those of a mirror.
ARG NODE_IMAGE=docker.io/library/node:22-bookworm-slim
ARG BASE_IMAGE=docker.io/library/debian:bookworm-slim

FROM ${NODE_IMAGE} AS build
RUN apt-get update && apt-get install -y --no-install-recommends tini
WORKDIR /src
COPY . .
RUN npm pack --pack-destination /tmp && mkdir /opt/holdfast && cd /opt/holdfast \
  && npm install --omit=dev --ignore-scripts --no-audit --no-fund /tmp/holdfast-*.tgz \
  # Native code for other systems than this image.
  && find node_modules -name '*.node' -path '*prebuilds*' ! -path "*linux-$(node -p process.arch)*" -delete \
  && find node_modules -name '*.musl.node' -delete \
  && rm -rf node_modules/holdfast/docs

FROM ${BASE_IMAGE}
COPY --from=build /usr/local/bin/node /usr/local/bin/node
COPY --from=build /usr/bin/tini-static /usr/local/bin/tini
COPY --from=build /opt/holdfast /opt/holdfast
RUN for name in azurite azurite-blob azurite-queue azurite-table holdfast; do \
    ln -s /opt/holdfast/node_modules/holdfast/dist/cli/holdfast.js "/usr/local/bin/$name"; done \
  && groupadd --gid 1000 holdfast && useradd --uid 1000 --gid 1000 --no-create-home holdfast \
  && install -d -o holdfast -g holdfast -m 0700 /data
ENV NODE_ENV=production
# A command without -l keeps its data here as well.
WORKDIR /data
VOLUME ["/data"]
USER 1000:1000
# Blob, Queue, Table, File over REST, File over SMB. Health and metrics (10004) stay inside.
EXPOSE 10000 10001 10002 10003 10445
HEALTHCHECK --interval=5s --timeout=6s --start-period=30s CMD ["holdfast", "health"]
# tini: the first process of a container cannot end itself by a signal.
ENTRYPOINT ["tini", "--", "holdfast"]
CMD ["-l", "/data", "--host", "0.0.0.0"]
