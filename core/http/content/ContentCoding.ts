/** How an answer's bytes are written: as they are, or compressed. */
export type ContentCoding = "identity" | CompressedCoding;

export type CompressedCoding = "gzip" | "br" | "zstd";

/** What a client receives of an answer: nothing where it has the same one already. */
export type Variant = "unchanged" | ContentCoding;
