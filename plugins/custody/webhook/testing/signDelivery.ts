import { createHmac } from "node:crypto";

export type Delivery = { id: string; secret: string; nowMs: number; body: string };

/** The headers of a webhook as its provider would send it. */
export function signDelivery({ id, secret, nowMs, body }: Delivery): Record<string, string> {
	const timestamp = String(Math.floor(nowMs / 1_000));
	const key = Buffer.from(secret.slice("whsec_".length), "base64");
	const mac = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
	return { "svix-id": id, "svix-timestamp": timestamp, "svix-signature": `v1,${mac}` };
}
