# One image for every controller and the watcher agent.
FROM node:24-bookworm-slim AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
COPY packages packages
COPY testing/oracles/package.json testing/oracles/
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build

FROM gcr.io/distroless/nodejs24-debian12:nonroot
WORKDIR /app
COPY --from=build /src/package.json ./
COPY --from=build /src/dist dist
COPY --from=build /src/crds crds
COPY --from=build /src/config config
# One malloc arena: memory of finished downloads is used again instead of being kept per thread.
ENV MALLOC_ARENA_MAX=1
USER 65532:65532
ENTRYPOINT ["/nodejs/bin/node", "--enable-source-maps", "dist/operator.js"]
