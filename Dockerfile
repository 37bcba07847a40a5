# docker build -t trilens . && docker run --rm -p 8501:8501 trilens
FROM python:3.11-slim

# Where PyTorch's default wheel is the CUDA build, name the index of its CPU wheels here to save 3 GB.
ARG PIP_EXTRA_INDEX_URL=""
ENV OMP_WAIT_POLICY=passive GOMP_SPINCOUNT=0 PYTHONUNBUFFERED=1

RUN useradd --create-home --uid 1000 trilens
WORKDIR /app

COPY requirements.txt requirements-cluster.txt constraints.txt ./
RUN pip install --no-cache-dir --only-binary :all: -c constraints.txt -r requirements-cluster.txt

COPY --chown=trilens . .
RUN chown trilens /app
USER trilens

EXPOSE 8501
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://localhost:8501/_stcore/health', timeout=4)"]
CMD ["python", "-m", "streamlit", "run", "app.py", "--server.address=0.0.0.0", "--server.port=8501", \
     "--server.headless=true", "--browser.gatherUsageStats=false", "--client.showErrorDetails=none"]
