/**
 * Returns Svix's headers. They are made by other code than the service's, so that one mistake
 * cannot hide in both.
 */
export function signWebhook(
	secret: string,
	{ id, nowMs, body }: { id: string; nowMs: number; body: string },
): Record<string, string> {
	const seconds = String(Math.floor(nowMs / 1_000));
	const key = Uint8Array.fromBase64(secret.replace("whsec_", ""));
	const hasher = new Bun.CryptoHasher("sha256", key);
	const signature = hasher.update([id, seconds, body].join(".")).digest("base64");
	return { "svix-id": id, "svix-timestamp": seconds, "svix-signature": `v1,${signature}` };
}
