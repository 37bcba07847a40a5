# docker build --build-arg PIP_EXTRA_INDEX_URL=.. -t trilens . && docker run --init --rm -p 127.0.0.1:8501:8501 -v trilens-cache:/cache trilens
FROM python:3.11-slim

# The index of PyTorch's CPU wheels, where pip's default on Linux is the CUDA build (3 GB more).
ARG PIP_EXTRA_INDEX_URL=""
# "cuda" accepts the other build.
ARG TORCH=cpu
ENV OMP_WAIT_POLICY=passive GOMP_SPINCOUNT=0 PYTHONUNBUFFERED=1 \
    TRILENS_CACHE=/cache NUMBA_CACHE_DIR=/cache/numba

RUN useradd --create-home --uid 1000 trilens && install --directory --owner=trilens /cache
WORKDIR /app

# By the hashes of its wheels on x86_64; elsewhere by version alone, and never PyTorch's CUDA build unasked.
COPY requirements.txt requirements-cluster.txt constraints.txt docker.lock ./
RUN if [ "$(uname -m)-$TORCH" = x86_64-cpu ]; \
    then pip install --no-cache-dir --only-binary :all: --no-deps --require-hashes -r docker.lock; \
    else pip install --no-cache-dir --only-binary :all: -c constraints.txt -r requirements-cluster.txt; fi \
    && TORCH=$TORCH python -c "import os, torch; raise SystemExit(os.environ['TORCH'] == 'cpu' and torch.version.cuda and \
       'This torch is the CUDA build: name the index of CPU wheels with --build-arg PIP_EXTRA_INDEX_URL, or give --build-arg TORCH=cuda')"

# Root owns the code, so that what runs as the app's user cannot change it.
COPY . .
RUN python -m compileall -q .
USER trilens
VOLUME /cache

EXPOSE 8501
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://localhost:8501/_stcore/health', timeout=4)"]
CMD ["python", "-m", "streamlit", "run", "app.py", "--server.address=0.0.0.0", "--server.port=8501", \
     "--server.headless=true", "--browser.gatherUsageStats=false", "--client.showErrorDetails=none"]
