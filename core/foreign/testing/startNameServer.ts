import { createSocket } from "node:dgram";

/** What a name has: addresses by kind, another name, or silence. */
export type NameRecords = {
	four?: readonly string[] | "silent";
	six?: readonly string[] | "silent";
	alias?: string;
};

const A = 1;
const CNAME = 5;
const AAAA = 28;

/** A name server on loopback that tells what `recordsOf` says, and counts what it was asked. */
export async function startNameServer(recordsOf: (name: string) => NameRecords | null) {
	const asked: string[] = [];
	const socket = createSocket("udp4");
	socket.on("message", (message, from) => {
		const { name, type, question } = readQuestion(message);
		asked.push(`${name} ${type === A ? "A" : "AAAA"}`);
		const records = recordsOf(name);
		const told = type === A ? records?.four : records?.six;
		if (told === "silent") return;
		const owner = records?.alias ?? name;
		const rows = (told ?? []).map((address) =>
			type === A ? row(owner, A, four(address)) : row(owner, AAAA, six(address)),
		);
		if (records?.alias) rows.unshift(row(name, CNAME, wireName(records.alias)));
		const head = Buffer.from(message.subarray(0, 12));
		head.writeUInt16BE(records ? 0x8180 : 0x8183, 2);
		for (const [at, count] of [1, rows.length, 0, 0].entries()) {
			head.writeUInt16BE(count, 4 + at * 2);
		}
		socket.send(Buffer.concat([head, question, ...rows]), from.port, from.address);
	});
	await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", () => resolve()));
	return {
		address: `127.0.0.1:${socket.address().port}`,
		asked,
		close: () => void socket.close(),
	};
}

function readQuestion(message: Buffer) {
	const labels: string[] = [];
	let at = 12;
	for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
		labels.push(message.toString("latin1", at + 1, at + 1 + length));
		at += length + 1;
	}
	const name = labels.join(".").toLowerCase();
	return { name, type: message.readUInt16BE(at + 1), question: message.subarray(12, at + 5) };
}

function row(name: string, type: number, data: Buffer): Buffer {
	const head = Buffer.alloc(10);
	head.writeUInt16BE(type, 0);
	head.writeUInt16BE(1, 2);
	head.writeUInt16BE(data.length, 8);
	return Buffer.concat([wireName(name), head, data]);
}

function wireName(name: string): Buffer {
	const labels = name.split(".").map((label) => Buffer.from([label.length, ...Buffer.from(label)]));
	return Buffer.concat([...labels, Buffer.from([0])]);
}

const four = (address: string) => Buffer.from(address.split(".").map(Number));

/** Written out in full, eight groups. */
const six = (address: string) =>
	Buffer.from(
		address
			.split(":")
			.map((group) => group.padStart(4, "0"))
			.join(""),
		"hex",
	);
