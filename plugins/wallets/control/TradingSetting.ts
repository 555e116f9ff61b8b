import type { z } from "zod";
import type { Queryable } from "#core/db/Database.ts";

/**
 * Something that operators change while the service runs, by
 * `PUT /v1/admin/trading/settings/:key`. It is read in the transaction that reserves, so it counts
 * from the answer on, in every process.
 */
export type TradingSetting = {
	/** How its keys look to a person: `kill:chain:<id>`. */
	shown: string;
	/** Matches a whole key. Its first group is what the key names. */
	key: RegExp;
	/** What its value may be; what it makes of one is stored as JSON. */
	schema: z.ZodType;
	description: string;
	/** Why nothing is called what a key names, in a sentence. Null: something is. */
	flaw?(db: Queryable, named: string): Promise<string | null>;
};
