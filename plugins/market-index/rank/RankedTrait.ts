/** A trait as far as rarity is concerned. */
export type RankedTrait = {
	type: string;
	value: string;
	/** What kind of number it is, where it is one. */
	displayType?: string | null | undefined;
};
