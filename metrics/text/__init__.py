"""Text processing: tokens, n-grams, embeddings, BLEU, ROUGE-L, CIDEr-D and METEOR."""
