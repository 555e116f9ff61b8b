import { z } from "zod";
import { coreConfig } from "#core/config/coreConfig.ts";

const { PUBLIC_URL, SANDBOX, TRADING_HOME_CHAIN } = coreConfig.shape;

/** The part of the configuration that says who may be whom here. */
export const identityConfig = {
	// The runtime's own, which sign-in messages and cookies are made by.
	PUBLIC_URL,
	SANDBOX,
	SESSION_SECRET: z
		.string()
		.min(32)
		.max(512)
		.optional()
		.meta({ secret: true, expects: "at least 32 characters that nobody can guess" })
		.describe(
			"Keys what is stored of sessions, so that who can write to the database cannot open one. The " +
				"same in all processes; a change signs everybody out.",
		),
	TRADING_HOME_CHAIN,
};

export type IdentityConfig = z.output<z.ZodObject<typeof identityConfig>>;
