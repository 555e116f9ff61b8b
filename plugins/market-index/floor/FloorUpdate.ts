/** The data of a `floor_update` frame. Unknown is null, never 0. */
export type FloorUpdate = {
	/** An ETH equivalent. */
	floorNative: number | null;
	floorUsd: number | null;
	/** As asked for, in `floorSymbol`. */
	floorPrice: number | null;
	floorSymbol: string | null;
	observedAt: string;
};
