import { Elysia } from "elysia";
import type { IdentityContext } from "#plugins/wallets/routes/IdentityContext.ts";
import { settingsSchema } from "#plugins/wallets/routes/settingsSchema.ts";

/** What a page must know before anybody is signed in. */
export function getSettings({ settings }: IdentityContext) {
	return new Elysia().get("/settings", () => settings(), {
		response: { 200: settingsSchema },
		detail: {
			operationId: "getTradingSettings",
			tags: ["trading"],
			summary: "Reads how this deployment trades",
			description: "Open to everybody. The limits are the most that any profile may set.",
		},
	});
}
