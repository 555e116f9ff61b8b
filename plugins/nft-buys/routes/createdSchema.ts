import { z } from "zod";
import { field } from "#core/http/openapi/field.ts";
import { intentSchema } from "#plugins/nft-buys/routes/intentSchema.ts";

const questionSchema = z
	.object({
		url: field.url("Where its owner says yes, or signs.", "https://app.example.com/links/x7Zk"),
		expiresAt: field.time("Until when it can be answered."),
	})
	.meta({ id: "IntentQuestion", description: "A one-time link that asks the owner of an intent." });

/** The answer to a new intent, with the link for its owner to confirm or sign, if needed. */
export const createdSchema = intentSchema
	.extend({
		link: questionSchema
			.nullable()
			.meta({ description: "Null where its owner is asked for nothing." }),
	})
	.meta({ id: "CreatedIntent", description: "A new intent, with what its owner is asked." });
