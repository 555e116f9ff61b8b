import { z } from "zod";
import { Fault } from "../../provider/faults/Fault.ts";
import { TRANSPORT_KINDS } from "../faults/createFaultDesk.ts";

const ticker = z.string().min(1).max(16);
const order = {
	path: z.string().max(200).optional(),
	/** How many reads of the list; without it always. */
	times: z.int().min(1).optional(),
};

/** The faults of an issuer's list, as `POST /_sandbox/faults` takes them. */
export const IssuerFault = z.discriminatedUnion("kind", [
	Fault.extend({ kind: z.enum(TRANSPORT_KINDS) }),
	/** The row is missing. */
	z.object({ ...order, kind: z.literal("removal"), ticker }),
	z.object({ ...order, kind: z.literal("wrong_decimals"), ticker, decimals: z.int().default(6) }),
	/** A multiplier that the token does not have yet. */
	z.object({
		...order,
		kind: z.literal("pending_multiplier"),
		ticker,
		multiplier: z.string(),
		effectiveAt: z.iso.datetime().default("2099-01-01T00:00:00.000Z"),
	}),
	/** A row of another token with a lookalike symbol: `АAPL`, whose first letter is Cyrillic. */
	z.object({ ...order, kind: z.literal("confusable"), ticker }),
	/** A row of another token with the same symbol. */
	z.object({ ...order, kind: z.literal("twice"), ticker }),
	z.object({ ...order, kind: z.literal("inactive"), ticker }),
	/** An unreadable row: its deployments are a text. */
	z.object({ ...order, kind: z.literal("odd_row"), ticker }),
	/** An empty list. */
	z.object({ ...order, kind: z.literal("empty") }),
]);
export type IssuerFault = z.output<typeof IssuerFault>;
