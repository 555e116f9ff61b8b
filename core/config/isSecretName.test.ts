import { expect, test } from "bun:test";
import { isSecretName } from "#core/config/isSecretName.ts";

test("names of keys, secrets, tokens, passwords and the two storage URLs are secret", () => {
	const names = ["OPENAI_API_KEY", "SESSION_SECRET", "SIGNER_KEYS_JSON", "SMTP_PASSWORD"];
	for (const name of [...names, "DATABASE_URL", "REDIS_URL"]) expect(isSecretName(name)).toBe(true);
});

test("a name that only contains such a word is not", () => {
	const names = ["PROVIDER_BASE_URL", "KEY_COUNT_MAX", "MY_DATABASE_URL_X", "TOKENS_PER_PAGE"];
	for (const name of names) expect(isSecretName(name)).toBe(false);
});
