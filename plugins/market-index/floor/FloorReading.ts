/**
 * What was learned of a collection's floor. `ask`: a listing at that price. `none`: no listing.
 * `unknown`: nothing was learned, and the known floor stays.
 */
export type FloorReading =
	| {
			kind: "ask";
			/** For one unit, in wei of ETH. */
			native: bigint;
			/** As asked for, in display units of `symbol`. */
			price: number;
			symbol: string;
	  }
	| { kind: "none" }
	| { kind: "unknown" };
