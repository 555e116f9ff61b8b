import { expect, test } from "bun:test";
import { admitBody } from "#core/http/admitBody.ts";

const MIB = 1_048_576;

function post(
	body: BodyInit | null,
	headers: Record<string, string> = { "content-type": "application/json" },
) {
	return new Request("http://localhost/v1/x", { method: "POST", body, headers });
}

async function codeOf(request: Request): Promise<string> {
	try {
		await admitBody(request, { url: request.url });
		return "admitted";
	} catch (error) {
		return error instanceof Object && "code" in error ? String(error.code) : String(error);
	}
}

/** Makes a body like a chunked upload, whose length is not known in advance. */
function stream(chunks: number, chunkBytes: number, onRead = () => {}) {
	let sent = 0;
	return new ReadableStream<Uint8Array>({
		pull(controller) {
			onRead();
			if (sent === chunks) controller.close();
			else controller.enqueue(new Uint8Array(chunkBytes).fill(0x20));
			sent += 1;
		},
	});
}

test("the admitted request has the same bytes, method and headers, and the address it was given", async () => {
	const text = '{"a": "ü\\ud83d\\ude00"}\n';
	const admitted = await admitBody(
		post(text, { "content-type": "Application/JSON; charset=utf-8", "x-a": "b" }),
		{ url: "http://localhost/v1/y" },
	);
	expect(await admitted.text()).toBe(text);
	expect(admitted.url).toBe("http://localhost/v1/y");
	expect(admitted.method).toBe("POST");
	expect(admitted.headers.get("x-a")).toBe("b");
	expect(admitted.headers.get("content-type")).toBe("application/json");
});

test("a body of one mebibyte is admitted and one byte more is not [SEC-04]", async () => {
	expect(await codeOf(post(`"${"x".repeat(MIB - 2)}"`))).toBe("admitted");
	expect(await codeOf(post(`"${"x".repeat(MIB - 1)}"`))).toBe("body_too_large");
});

test("a webhook's body is admitted up to a quarter of that", async () => {
	const url = "http://localhost/v1/x";
	const body = (bytes: number) => post(`"${"x".repeat(bytes - 2)}"`);
	expect((await admitBody(body(MIB / 4), { url, isSigned: true })).url).toBe(url);
	for (const bytes of [MIB / 4 + 1, MIB]) {
		const refused = admitBody(body(bytes), { url, isSigned: true });
		expect(refused).rejects.toMatchObject({ code: "body_too_large" });
	}
	const chunked = post(stream(3, MIB / 8));
	expect(admitBody(chunked, { url, isSigned: true })).rejects.toMatchObject({
		publicDetail: "The body is larger than 256 KiB.",
	});
});

test("a declared length over the limit is refused before a byte is read", async () => {
	let reads = 0;
	const body = stream(1, 10, () => {
		reads += 1;
	});
	const request = post(body, {
		"content-type": "application/json",
		"content-length": String(MIB + 1),
	});
	expect(await codeOf(request)).toBe("body_too_large");
	// The stream itself requests its first chunk, even if nothing reads it.
	expect(reads).toBeLessThanOrEqual(1);
});

// Guarantee: an endless upload costs one mebibyte.
test("a stream without a length is read up to the limit only", async () => {
	let reads = 0;
	const body = stream(Number.POSITIVE_INFINITY, 64 * 1024, () => {
		reads += 1;
	});
	expect(await codeOf(post(body))).toBe("body_too_large");
	expect(reads).toBeLessThan(25);
});

test("a request without a body needs no content type", async () => {
	expect(await codeOf(post(null, {}))).toBe("admitted");
	expect(await codeOf(post("", {}))).toBe("admitted");
});

const types = [
	"text/plain",
	"application/x-www-form-urlencoded",
	"multipart/form-data; boundary=x",
	"application/jsonp",
	"application/xml",
	"json",
];
for (const type of types) {
	test(`a body of type ${type} is refused, as forms of other sites send it`, async () => {
		expect(await codeOf(post('{"a":1}', { "content-type": type }))).toBe("unsupported_media_type");
	});
}

test("a body that is not UTF-8, too deep or contains NUL is malformed", async () => {
	expect(await codeOf(post(new Uint8Array([0x22, 0xff, 0x22])))).toBe("malformed_body");
	expect(await codeOf(post("[".repeat(100_000)))).toBe("malformed_body");
	expect(await codeOf(post('"\\u0000"'))).toBe("malformed_body");
});

test("the client going away is still seen through the admitted request", async () => {
	const leaving = new AbortController();
	const request = new Request("http://localhost/", {
		method: "POST",
		body: "{}",
		headers: { "content-type": "application/json" },
		signal: leaving.signal,
	});
	const admitted = await admitBody(request, { url: request.url });
	leaving.abort();
	expect(admitted.signal.aborted).toBe(true);
});
