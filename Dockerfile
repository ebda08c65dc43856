# The program in an image: docs/unattended.md. Built from a checkout; dist/ is made in the first stage.
# NODE pins what both stages begin with: --build-arg NODE=node:24-slim@sha256:… takes one image and no other.
ARG NODE=node:24-slim
FROM ${NODE} AS build
WORKDIR /app
COPY package.json package-lock.json tsconfig.json ./
COPY src ./src
COPY bin ./bin
# Packages run no scripts; what only the tools need is left behind.
RUN npm ci --ignore-scripts --no-audit --no-fund && npm run build && npm prune --omit=dev --ignore-scripts --no-audit --no-fund

FROM ${NODE}
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --from=build /app/bin ./bin
# The export, the settings and the checkpoint are in the folder that is mounted here.
WORKDIR /work
USER node
ENTRYPOINT ["node", "/app/bin/helpdesk-import.js"]
CMD ["--help"]
