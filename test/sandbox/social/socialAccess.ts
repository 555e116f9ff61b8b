import type { Account } from "./createTimeline.ts";

/** The credentials of the bot's app. They are valid in this sandbox only. */
export type SocialAccess = {
	botUsername: string;
	apiKey: string;
	apiSecret: string;
	bearerToken: string;
	clientId: string;
	clientSecret: string;
	userAccessToken: string;
	userRefreshToken: string;
	oauth1AccessToken: string;
	oauth1AccessTokenSecret: string;
	webhookId: string;
	webhookSecret: string;
};

/** Returns the credentials of a bot; `seed` makes those of each start different. */
export function socialAccessOf(bot: Account, seed: string): SocialAccess {
	const secret = (what: string) => `sandbox-${what}-${seed}`;
	return {
		botUsername: bot.username,
		apiKey: secret("api-key"),
		apiSecret: secret("api-secret"),
		bearerToken: secret("bearer"),
		clientId: secret("client"),
		clientSecret: secret("client-secret"),
		userAccessToken: secret("access-0"),
		userRefreshToken: secret("refresh-0"),
		oauth1AccessToken: `${bot.id}-${secret("token")}`,
		oauth1AccessTokenSecret: secret("token-secret"),
		webhookId: "1700000000000000001",
		webhookSecret: secret("webhook"),
	};
}

/** Returns the credentials as a service's environment variables. */
export function socialEnv(url: string, access: SocialAccess): Record<string, string> {
	return {
		SOCIAL_BASE_URL: url,
		SOCIAL_BOT_USERNAME: access.botUsername,
		SOCIAL_API_KEY: access.apiKey,
		SOCIAL_API_SECRET: access.apiSecret,
		SOCIAL_BEARER_TOKEN: access.bearerToken,
		SOCIAL_CLIENT_ID: access.clientId,
		SOCIAL_CLIENT_SECRET: access.clientSecret,
		SOCIAL_USER_ACCESS_TOKEN: access.userAccessToken,
		SOCIAL_USER_REFRESH_TOKEN: access.userRefreshToken,
		SOCIAL_OAUTH1_ACCESS_TOKEN: access.oauth1AccessToken,
		SOCIAL_OAUTH1_ACCESS_TOKEN_SECRET: access.oauth1AccessTokenSecret,
		SOCIAL_WEBHOOK_ID: access.webhookId,
		SOCIAL_WEBHOOK_SECRET: access.webhookSecret,
	};
}
