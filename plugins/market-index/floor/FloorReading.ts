/**
 * What was learned of a collection's floor. `ask`: somebody sells for that. `none`: nobody sells.
 * `unknown`: nothing was learned, and whatever was known stands.
 */
export type FloorReading =
	| {
			kind: "ask";
			/** For one unit, in wei of ETH. */
			native: bigint;
			/** As it was asked for, in display units of `symbol`. */
			price: number;
			symbol: string;
	  }
	| { kind: "none" }
	| { kind: "unknown" };
