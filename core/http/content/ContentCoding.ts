/** The encoding of an answer's bytes: plain, or compressed. */
export type ContentCoding = "identity" | CompressedCoding;

export type CompressedCoding = "gzip" | "br" | "zstd";

/**
 * The form of an answer that a client gets; `unchanged`: no body, because it has the same one
 * already.
 */
export type Variant = "unchanged" | ContentCoding;
