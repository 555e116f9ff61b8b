/** What the fields of the row before held, and where they stand; in both rows in the same order. */
export type RowBefore = {
	/** A row begins. */
	begin(): void;
	/** Where the field at this place in the row before stands, if it holds the same; else -1. */
	placeOf(value: string | bigint): number;
	/** The next field of this row holds this value, and begins there. */
	keep(value: string | bigint, place: number): void;
	/** What was written is gone. */
	forget(): void;
};

/** Two arrays and no objects: it is asked about each field of each row. */
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
