/** A trait as it is stored; not validated when read, since only the index writes it. */
export type TokenTrait = {
	type: string;
	value: string;
	/** `number`, `date`, … : left out where the value is text. */
	displayType?: string;
};
