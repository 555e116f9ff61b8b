import { type KeyObject, verify } from "node:crypto";
import { Denial } from "./Denial.ts";

const SIGNED_HEADERS = ["privy-app-id", "privy-idempotency-key", "privy-request-expiry"];

/**
 * Throws unless the service's key signed exactly this request. The canonical text is made by other
 * code than the service's, so that one mistake cannot hide in both.
 */
export function checkSignature(
	request: { method: string; url: string; headers: Headers; body: unknown },
	key: KeyObject,
): void {
	const sent = request.headers.get("privy-authorization-signature") ?? "";
	if (sent === "") {
		const sentence = "Missing `privy-authorization-signature` header";
		throw new Denial(401, sentence, "missing_or_empty_authorization_header");
	}
	const headers = Object.fromEntries(
		SIGNED_HEADERS.flatMap((name) => {
			const value = request.headers.get(name);
			return value === null ? [] : [[name, value]];
		}),
	);
	const { method, url, body } = request;
	const payload = Buffer.from(canonical({ version: 1, method, url, body, headers }));
	const holds = sent.split(",").some((signature) => {
		const bytes = Buffer.from(signature, "base64");
		return verify("sha256", payload, { key, dsaEncoding: "der" }, bytes);
	});
	if (!holds) {
		const sentence = "No valid authorization signatures were provided";
		throw new Denial(401, sentence, "zero_correct_authorization_signatures");
	}
}

function canonical(value: unknown): string {
	if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
	if (typeof value !== "object" || value === null) return JSON.stringify(value);
	const members = Object.entries(value).map(([name, inner]) => ({ name, inner }));
	members.sort((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)));
	return `{${members.map(({ name, inner }) => `${JSON.stringify(name)}:${canonical(inner)}`).join()}}`;
}
