import { z } from "zod";
import { NAME_LENGTH_MAX, TOKEN_LENGTH_MAX } from "#plugins/custody/limits.ts";

const SIGNATURE_BYTES = 64;

// Strict: a member that RFC 7515 tells to refuse where it is not understood is `crit`.
const headerSchema = z.object({
	alg: z.literal("ES256"),
	typ: z.string().regex(/^jwt$/i).optional(),
	kid: z.string().max(NAME_LENGTH_MAX).optional(),
	crit: z.undefined().optional(),
});
const claimsSchema = z.object({
	iss: z.string(),
	aud: z.union([z.string(), z.tuple([z.string()])]),
	sub: z.string().min(1).max(NAME_LENGTH_MAX),
	exp: z.number(),
	iat: z.number().optional(),
	nbf: z.number().optional(),
});

export type Token = {
	keyId: string | null;
	claims: z.output<typeof claimsSchema>;
	/** What was signed. */
	signed: Buffer;
	/** r and s, 32 bytes each. */
	signature: Buffer;
};

/** Takes a compact ES256 token apart; null for every other text. Nothing in it is verified yet. */
export function readToken(text: string): Token | null {
	if (text.length > TOKEN_LENGTH_MAX) return null;
	const [header, payload, mac, ...more] = text.split(".");
	if (header === undefined || payload === undefined || mac === undefined || more.length > 0) {
		return null;
	}
	const signature = bytesOf(mac);
	const { data: head } = headerSchema.safeParse(jsonOf(header));
	const { data: claims } = claimsSchema.safeParse(jsonOf(payload));
	if (signature?.length !== SIGNATURE_BYTES || !head || !claims) return null;
	return {
		keyId: head.kid ?? null,
		claims,
		signed: Buffer.from(`${header}.${payload}`),
		signature,
	};
}

function jsonOf(part: string): unknown {
	try {
		return JSON.parse(bytesOf(part)?.toString("utf8") ?? "");
	} catch {
		return undefined;
	}
}

/** Reads base64url in its one right spelling: Buffer alone takes `+`, `=` and stray letters too. */
function bytesOf(part: string): Buffer | null {
	const bytes = Buffer.from(part, "base64url");
	return bytes.toString("base64url") === part ? bytes : null;
}
