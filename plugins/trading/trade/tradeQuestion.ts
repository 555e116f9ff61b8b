import { z } from "zod";
import { field } from "#core/http/openapi/field.ts";

/** A one-time link by which the owner of a trade is asked. */
export const tradeQuestion = z
	.object({
		url: field.url("Where its owner says yes, or signs.", "https://app.example.com/links/x7Zk"),
		expiresAt: field.time("Until when it can be answered."),
	})
	.meta({ id: "TradeQuestion", description: "A one-time link that asks the owner of a trade." });
