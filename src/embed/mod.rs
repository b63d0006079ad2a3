//! Model clients behind traits: embedding, generation, reranking.
