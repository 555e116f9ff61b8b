/** "part" in ASCII: serializes the making and dropping of partitions among processes. */
export const PARTITION_LOCK_KEY = 0x70617274;
