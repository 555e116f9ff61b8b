/** A trait as far as rarity is concerned. */
export type RankedTrait = {
	type: string;
	value: string;
	/** The kind of a numeric trait. */
	displayType?: string | null | undefined;
};
