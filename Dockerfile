# One image for every process of ours; each has a command of its own:
#   node services/api/main.ts | node services/worker/main.ts | node services/agent/main.ts | node scripts/prepare.ts
#
# The base is pinned by digest. Take a newer one with
#   docker buildx imagetools inspect node:24-bookworm-slim --format '{{.Manifest.Digest}}'
# and see docs/operate/image.md for what was tried of this file and what was not.
FROM node:24-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d AS packages
WORKDIR /app
COPY package.json package-lock.json ./
# Node itself is one of the packages, pinned by hash, so that the image runs on the very version that the tests run on.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

# What the pages are built with stays here.
FROM node:24-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d AS pages
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY scripts scripts
COPY services services
RUN node_modules/.bin/node scripts/build-pages.ts dashboard widget

FROM node:24-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d AS speech
RUN apt-get update \
  && apt-get install --yes --no-install-recommends python3=3.11.2-1+b1 python3-venv=3.11.2-1+b1
# What it would record from a microphone with is left out.
COPY scripts/toolchain/python/pocketsphinx.txt ./
RUN python3 -m venv /opt/speech \
  && /opt/speech/bin/pip install --no-cache-dir --require-hashes --no-deps --only-binary :all: --requirement pocketsphinx.txt

FROM node:24-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d
# Speech without a provider: espeak-ng, under the GPL, is run as a program and linked into nothing; Python is for the recogniser.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends espeak-ng=1.51+dfsg-10+deb12u2 python3=3.11.2-1+b1 \
  && rm -rf /var/lib/apt/lists/*
COPY --from=speech /opt/speech /opt/speech
# Agents may come from a Git repository. The room client's native part checks certificates with the system's list.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates git openssh-client \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY package.json package-lock.json ./
COPY schemas schemas
COPY scripts scripts
COPY services services
COPY --from=pages /app/services/web/dashboard/dist services/web/dashboard/dist
COPY --from=pages /app/services/web/widget/dist services/web/widget/dist
# What Node makes of our programs is kept for all processes that run as this user: an agent host is up in 0.6 s instead of 1.0. Each
# program ends at once here, since it is told nothing.
ENV NODE_COMPILE_CACHE=/app/compiled
RUN mkdir compiled && chown 10001:10001 compiled \
  && for program in services/api/main services/worker/main services/agent/main scripts/alive; do \
    setpriv --reuid=10001 --regid=10001 --clear-groups node_modules/.bin/node $program.ts 2>/dev/null || true; done \
  && test -n "$(ls compiled)" && chown -R root:root compiled && chmod -R a=rX compiled
# The user is in no list of users, so its home has to be said: graphile-worker asks for it as it is loaded.
ENV NODE_ENV=production HOME=/tmp PATH=/app/scripts/bin:/app/node_modules/.bin:$PATH
ENV PARLEY_SPEECH_PYTHON=/opt/speech/bin/python
# Owns nothing in the image: what a process may write is mounted for it (/tmp).
USER 10001:10001
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=6 CMD ["node", "scripts/alive.ts"]
CMD ["node", "services/api/main.ts"]
