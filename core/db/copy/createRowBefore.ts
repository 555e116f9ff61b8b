/** The values of the row before, and their positions; in both rows in the same order. */
export type RowBefore = {
	/** Begins a row. */
	begin(): void;
	/** Returns the position of the same field in the row before if its value is equal; else -1. */
	placeOf(value: string | bigint): number;
	/** Records this value and position for the next field of this row. */
	keep(value: string | bigint, place: number): void;
	/** Drops all positions, because the buffer was taken. */
	forget(): void;
};

/** Makes it from two arrays without objects: it is used for each field of each row. */
export function createRowBefore(): RowBefore {
	let values: (string | bigint)[] = [];
	let places: number[] = [];
	let field = 0;
	return {
		begin() {
			field = 0;
		},
		placeOf: (value) => (values[field] === value ? (places[field] ?? -1) : -1),
		keep(value, place) {
			values[field] = value;
			places[field] = place;
			field += 1;
		},
		forget() {
			values = [];
			places = [];
		},
	};
}
