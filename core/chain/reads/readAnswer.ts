import type { z } from "zod";
import { chainFault } from "#core/chain/reads/faults.ts";

/** What a node said, as its schema has it. Nonsense is the node's failure and not ours. */
export function readAnswer<Output>(
	schema: Pick<z.ZodType<Output>, "safeParse">,
	answer: unknown,
): Output {
	const read = schema.safeParse(answer);
	if (read.success) return read.data;
	const [issue] = read.error.issues;
	throw chainFault.chainUnreadable({ detail: `${issue?.path.join(".")}: ${issue?.message}` });
}
