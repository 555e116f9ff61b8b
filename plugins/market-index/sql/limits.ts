/** From this many rows on, COPY is faster than binding arrays. */
export const COPY_ROWS_MIN = 500;

/** Partitions are made for block times between these years; any other time has its own table. */
export const PARTITION_YEAR_MIN = 2015;
export const PARTITION_YEAR_MAX = 2099;
