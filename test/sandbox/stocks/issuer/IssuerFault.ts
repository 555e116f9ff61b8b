import { z } from "zod";
import { Fault } from "../../provider/faults/Fault.ts";
import { TRANSPORT_KINDS } from "../faults/createFaultDesk.ts";

const ticker = z.string().min(1).max(16);
const order = {
	path: z.string().max(200).optional(),
	/** How many readings of the list; for ever without it. */
	times: z.int().min(1).optional(),
};

/** What an issuer's list does that it should not, as `POST /_sandbox/faults` takes it. */
export const IssuerFault = z.discriminatedUnion("kind", [
	Fault.extend({ kind: z.enum(TRANSPORT_KINDS) }),
	/** The row is gone. */
	z.object({ ...order, kind: z.literal("removal"), ticker }),
	z.object({ ...order, kind: z.literal("wrong_decimals"), ticker, decimals: z.int().default(6) }),
	/** A multiplier that the token does not know of yet. */
	z.object({
		...order,
		kind: z.literal("pending_multiplier"),
		ticker,
		multiplier: z.string(),
		effectiveAt: z.iso.datetime().default("2099-01-01T00:00:00.000Z"),
	}),
	/** A row of another token whose symbol looks like this one's: `АAPL`, the first Cyrillic. */
	z.object({ ...order, kind: z.literal("confusable"), ticker }),
	/** A row of another token with this very symbol. */
	z.object({ ...order, kind: z.literal("twice"), ticker }),
	z.object({ ...order, kind: z.literal("inactive"), ticker }),
	/** A row that nobody can read: its deployments are a text. */
	z.object({ ...order, kind: z.literal("odd_row"), ticker }),
	/** A list of nothing. */
	z.object({ ...order, kind: z.literal("empty") }),
]);
export type IssuerFault = z.output<typeof IssuerFault>;
