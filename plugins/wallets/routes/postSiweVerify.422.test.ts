import { expect, test } from "bun:test";
import { privateKeyToAccount } from "viem/accounts";
import { keyOf } from "#plugins/wallets/testing/identityFixture.ts";
import { identityOfFile } from "#plugins/wallets/testing/identityOfFile.ts";

const own = identityOfFile();
const account = privateKeyToAccount(keyOf(1));

test("[TRD-10] [SEC-04] a text that only resembles a message is refused with the reason", async () => {
	const message = await own.fixture.messageOf(account.address);
	const texts = [
		"hello",
		`${message}\n`,
		message.replaceAll("\n", "\r\n"),
		message.replace(account.address, account.address.toLowerCase()),
		message.replace("Version: 1", "Version: 2"),
		message.replace(/\nChain ID: \d+/, ""),
		message.replace("Chain ID: 4663", "Chain ID: 0x1237"),
		message.replace(/Nonce: .*/, "Nonce: 1234567"),
		message.replace(/Issued At: .*/, "Issued At: today"),
		message.replace("Sign in.", "Melde dich an für ü."),
	];
	for (const text of texts) {
		const signature = await account.signMessage({ message: text });
		const { status, body, headers } = await own.fixture.call("/siwe/verify", {
			body: { message: text, signature },
		});
		expect({ text, status, code: body.code }).toEqual({
			text,
			status: 422,
			code: "siwe_message_invalid",
		});
		expect(body.issues).toEqual([{ path: "message", message: expect.any(String) }]);
		expect(headers.get("content-type")).toBe("application/problem+json");
	}
	// None of that cost the nonce.
	const signature = await account.signMessage({ message });
	expect((await own.fixture.call("/siwe/verify", { body: { message, signature } })).status).toBe(
		200,
	);
});

test("[SEC-04] a body of another form is refused, and what was sent is not repeated", async () => {
	const message = await own.fixture.messageOf(account.address);
	const signature = await account.signMessage({ message });
	const bad: [path: string, body: unknown][] = [
		["message", { signature }],
		["message", { message: "", signature }],
		["message", { message: 1, signature }],
		["message", { message: "c4n4ry".repeat(2_000), signature }],
		["signature", { message }],
		["signature", { message, signature: "c4n4ry" }],
		["signature", { message, signature: "0x" }],
		["signature", { message, signature: signature.slice(2) }],
		["signature", { message, signature: `${signature}c` }],
		["signature", { message, signature: `0x${"00".repeat(20_000)}` }],
		["link", { message, signature, link: "yes" }],
		["", []],
		["", "text"],
		["", null],
	];
	for (const [path, body] of bad) {
		const answer = await own.fixture.call("/siwe/verify", { body: JSON.stringify(body) });
		expect({ path, status: answer.status, code: answer.body.code }).toEqual({
			path,
			status: 422,
			code: "validation_error",
		});
		expect(answer.body.issues[0].path).toBe(path);
		expect(answer.text).not.toContain("c4n4ry");
	}
	const none = await own.fixture.call("/siwe/verify", { method: "POST" });
	expect(none.status).toBe(422);
});
