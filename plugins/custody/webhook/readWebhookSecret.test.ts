import { expect, test } from "bun:test";
import { readWebhookSecret } from "#plugins/custody/webhook/readWebhookSecret.ts";

test("the key is what stands behind the prefix, decoded", () => {
	const key = Buffer.alloc(24, 0xfb);
	const read = readWebhookSecret(`whsec_${key.toString("base64")}`);
	expect(Buffer.from(read ?? []).equals(key)).toBe(true);
});

const odd = [
	"",
	"whsec_",
	Buffer.alloc(24, 1).toString("base64"),
	`WHSEC_${Buffer.alloc(24, 1).toString("base64")}`,
	`whsec_${Buffer.alloc(15, 1).toString("base64")}`,
	`whsec_${Buffer.alloc(65, 1).toString("base64")}`,
	// Node's decoder would take both, and make another key of the first.
	`whsec_${"!".repeat(8)}${Buffer.alloc(24, 1).toString("base64")}`,
	`whsec_${Buffer.alloc(24, 0xfb).toString("base64url")}`,
	`whsec_${Buffer.alloc(24, 1).toString("base64")}\n`,
	"sk_a-secret-of-another-service",
];
for (const text of odd) {
	test(`${JSON.stringify(text)} is no secret, said at the start and not at the first webhook`, () => {
		expect(readWebhookSecret(text)).toBeNull();
	});
}
