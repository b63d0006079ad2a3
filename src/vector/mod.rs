//! Vectors on disk: FAISS index, matrix, manifest.
