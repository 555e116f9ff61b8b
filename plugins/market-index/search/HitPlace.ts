/** The key of a hit in the order of hits: the slug itself first, then by volume, then by id. */
export type HitPlace = { isExact: boolean; volume: string; id: number };
