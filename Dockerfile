# The dependencies, apart from the sources: a change of these alone leaves the layer as it is.
# Optional packages are left out: they are the binaries of the embedded database, and a container is given DATABASE_URL.
FROM docker.io/oven/bun:1.4.5 AS dependencies
WORKDIR /app
COPY package.json bun.lock bunfig.toml ./
RUN bun install --frozen-lockfile --production --omit=optional

FROM docker.io/oven/bun:1.4.5-slim
WORKDIR /app
ENV NODE_ENV=production
COPY --from=dependencies /app/node_modules node_modules
COPY package.json LICENSE ./
COPY migrations migrations
COPY src src
# The image's unprivileged user owns none of it: the program cannot change itself. Only uploaded files are its own.
ENV DATA_DIR=/data
# A container is reached from outside, whichever database it uses.
ENV HOST=0.0.0.0
RUN install -d -o bun -g bun -m 0700 /data
VOLUME /data
USER bun
EXPOSE 3000
# The image has no curl. PORT is what the program itself reads.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["bun", "-e", "const { ok } = await fetch(`http://127.0.0.1:${process.env.PORT || 3000}/healthz`); process.exit(ok ? 0 : 1)"]
# Without a shell or `bun run` in between, SIGTERM reaches the program, which lets requests in flight finish.
ENTRYPOINT ["bun"]
CMD ["src/main.ts"]
