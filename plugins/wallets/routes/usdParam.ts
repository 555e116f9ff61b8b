import { z } from "zod";
import { Fault } from "#core/fault/Fault.ts";
import { USD_MICROS_MAX } from "#plugins/wallets/limits.ts";
import { usdText } from "#plugins/wallets/profile/usdText.ts";

/** Dollars as decimal text, exact, in microdollars; null is the deployment's default. */
export const usdParam = z
	.string()
	.max(32)
	.transform((text, context) => {
		const micros = readMicros(text);
		if (typeof micros === "bigint") return micros;
		context.addIssue({ code: "custom", message: micros });
		return z.NEVER;
	})
	.nullable()
	.meta({
		type: ["string", "null"],
		description:
			"A limit in US dollars as decimal text, at most six decimals; null: the deployment's.",
		examples: ["250"],
	});

function readMicros(text: string): bigint | string {
	try {
		const micros = usdText.read(text);
		return micros <= USD_MICROS_MAX ? micros : "That is more than anybody has.";
	} catch (error) {
		if (error instanceof Fault) return error.publicDetail;
		throw error;
	}
}
