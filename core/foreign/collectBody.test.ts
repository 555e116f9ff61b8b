import { expect, test } from "bun:test";
import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { collectBody } from "#core/foreign/collectBody.ts";

/** An answer as the parser makes it, without a server. */
function answer(headers: Record<string, string> = {}) {
	const response = new IncomingMessage(new Socket());
	Object.assign(response.headers, headers);
	return response;
}

const say = (response: IncomingMessage, pieces: Iterable<Uint8Array>) => {
	for (const piece of pieces) response.push(piece);
	response.complete = true;
	response.push(null);
};

test("a body is told as it came, up to the very last byte that is allowed", async () => {
	const response = answer({ "content-length": "6" });
	const body = collectBody(response, 6);
	say(response, [Buffer.from("abc"), Buffer.from("def")]);
	expect((await body).toString()).toBe("abcdef");
});

test("[SEC-05] one byte more is refused, whether it is announced or comes", async () => {
	await expect(collectBody(answer({ "content-length": "7" }), 6)).rejects.toThrow("too_large");
	const response = answer();
	const body = collectBody(response, 6);
	say(response, [Buffer.from("abc"), Buffer.from("defg")]);
	await expect(body).rejects.toThrow("foreign_too_large");
});

test("[SEC-05] a body that comes as dust is refused long before its bytes are too many", async () => {
	const response = answer();
	const body = collectBody(response, 1_000_000);
	response.resume();
	say(response, Array(5_000).fill(Buffer.from("a")));
	await expect(body).rejects.toThrow("foreign_too_large");
});

test("an answer that ends before its body does is none", async () => {
	const response = answer();
	const body = collectBody(response, 1_000_000);
	response.push(Buffer.from("abc"));
	response.destroy();
	await expect(body).rejects.toThrow("foreign_unreachable");
});
