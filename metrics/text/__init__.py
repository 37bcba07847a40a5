"""What is measured of texts: tokens, n-grams, embeddings, BLEU, ROUGE-L, CIDEr-D and METEOR."""
