import type { z } from "zod";
import { chainFault } from "#core/chain/reads/faults.ts";

/**
 * Parses a node's answer by its schema. Throws `chain_unreadable` for an invalid one: the node's
 * failure, not ours.
 */
export function readAnswer<Output>(
	schema: Pick<z.ZodType<Output>, "safeParse">,
	answer: unknown,
): Output {
	const read = schema.safeParse(answer);
	if (read.success) return read.data;
	const [issue] = read.error.issues;
	throw chainFault.chainUnreadable({ detail: `${issue?.path.join(".")}: ${issue?.message}` });
}
