/** `scheme://user:password@host`. Greedy to the last `@` before a slash: passwords contain `@`. */
const URL_CREDENTIALS = /([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#"'<>]{1,512}@/gi;

/** Authorization values copied into a sentence by somebody's HTTP client. */
const AUTHORIZATION = /\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi;

/**
 * `apiKey=…`, `"secret":"…"`, `?token=…` inside a text, as in upstream errors and query strings.
 * A bare `token: …` stays: in this product it is the name of an asset.
 */
const NAMED_SECRET =
	/((?:api[_-]?key|secret|(?:access|refresh|session|auth|id|csrf)[_-]?token|[?&]token|password|passwd|private[_-]?key)["']?\s?[=:]\s?["']?)([^\s"'&,;}]{6,})/gi;

/** Node providers put the key into the path (`/v2/<key>`, `/v3/<key>`), and viem quotes the URL. */
const KEY_IN_PATH = /(\/v[1-9]\/)[A-Za-z0-9_-]{20,}(?=$|[/?#\s"'),])/g;

/** An address or a contract is no secret, however its field is called. */
const ADDRESS = /^0x[0-9a-f]{40}$/i;

const REDACTED = "[redacted]";

/**
 * Takes out of a text what looks like a secret, and each of `secrets` wherever it occurs.
 *
 * The patterns are the second wall; the first is that configuration hands its secrets in, in all
 * their forms (`secretForms`), so that a key is found in whatever shape an upstream echoes it.
 */
export function redactText(text: string, secrets: readonly string[] = []): string {
	let redacted = text;
	for (const secret of secrets) {
		if (secret.length >= SECRET_LENGTH_MIN) redacted = redacted.replaceAll(secret, REDACTED);
	}
	return redacted
		.replace(URL_CREDENTIALS, `$1${REDACTED}@`)
		.replace(AUTHORIZATION, `$1 ${REDACTED}`)
		.replace(NAMED_SECRET, (whole, name: string, value: string) =>
			ADDRESS.test(value) ? whole : `${name}${REDACTED}`,
		)
		.replace(KEY_IN_PATH, `$1${REDACTED}`);
}

/** Shorter "secrets" (an empty or a one letter setting) would blank out ordinary words. */
const SECRET_LENGTH_MIN = 6;
