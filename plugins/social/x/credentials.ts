import { socialFault } from "#plugins/social/faults.ts";
import type { SocialConfig } from "#plugins/social/socialConfig.ts";
import type { OAuth1Keys } from "#plugins/social/x/oauth1Header.ts";

type Name = Extract<keyof SocialConfig, `SOCIAL_${string}` | "SESSION_SECRET">;

/** Returns a credential, or throws the Fault that names the missing one. */
export function needed(config: SocialConfig, name: Name): string {
	const value = config[name];
	if (typeof value === "string") return value;
	throw missing([name]);
}

export function missing(names: readonly string[]): Error {
	return socialFault.credentialMissing({ public: `${names.join(", ")} must be set for this.` });
}

const OAUTH1 = [
	"SOCIAL_API_KEY",
	"SOCIAL_API_SECRET",
	"SOCIAL_OAUTH1_ACCESS_TOKEN",
	"SOCIAL_OAUTH1_ACCESS_TOKEN_SECRET",
] as const;

/** Returns true if all four parts of OAuth 1.0a are set. */
export function hasOAuth1(config: SocialConfig): boolean {
	return OAUTH1.every((name) => config[name] !== undefined);
}

export function oauth1Keys(config: SocialConfig): OAuth1Keys {
	const gone = OAUTH1.filter((name) => config[name] === undefined);
	if (gone.length > 0) throw missing(gone);
	return {
		apiKey: needed(config, "SOCIAL_API_KEY"),
		apiSecret: needed(config, "SOCIAL_API_SECRET"),
		accessToken: needed(config, "SOCIAL_OAUTH1_ACCESS_TOKEN"),
		accessTokenSecret: needed(config, "SOCIAL_OAUTH1_ACCESS_TOKEN_SECRET"),
	};
}

/** Returns true if a token for the bot's account by OAuth 2 is set. */
export function hasOAuth2(config: SocialConfig): boolean {
	const { SOCIAL_USER_ACCESS_TOKEN: access, SOCIAL_USER_REFRESH_TOKEN: refresh } = config;
	return access !== undefined || refresh !== undefined;
}

/** Returns the secret that signs deliveries; null where none is set. */
export function webhookSecretOf(config: SocialConfig): string | null {
	return config.SOCIAL_WEBHOOK_SECRET ?? config.SOCIAL_API_SECRET ?? null;
}
