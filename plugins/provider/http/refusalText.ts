import { z } from "zod";
import { cleanLine } from "#core/outside/cleanLine.ts";
import { REFUSAL_LENGTH_MAX } from "#plugins/provider/limits.ts";
import { parseWireJson } from "#plugins/provider/wire/parseWireJson.ts";

const refusalSchema = z.object({
	errors: z.array(z.unknown()).max(1_000).optional().catch(undefined),
	detail: z.string().optional().catch(undefined),
	error: z.object({ message: z.string() }).optional().catch(undefined),
});

/**
 * Returns the text of a refusal, in any of the provider's three forms or in none of them. Only for
 * the log: it may quote what we sent.
 */
export function refusalText(body: string): string {
	const { data } = refusalSchema.safeParse(parseWireJson(body));
	const errors = data?.errors?.map((error) =>
		typeof error === "string" ? error : JSON.stringify(error),
	);
	const said = errors?.join("; ") || data?.detail || data?.error?.message || body;
	return cleanLine(said, { lengthMax: REFUSAL_LENGTH_MAX }) ?? "(nothing)";
}
