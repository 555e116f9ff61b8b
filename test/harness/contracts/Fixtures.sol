// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

// Contracts that mint in every way a lane must understand, and some that lie about themselves.

contract Plain721 {
	event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);

	string public name;
	uint256 public maxSupply;
	uint256 public totalSupply;
	mapping(uint256 => address) public ownerOf;

	constructor(string memory name_, uint256 maxSupply_) {
		name = name_;
		maxSupply = maxSupply_;
	}

	function mint(address to, uint256 count) external payable {
		for (uint256 i = 0; i < count; i++) {
			uint256 id = ++totalSupply;
			ownerOf[id] = to;
			emit Transfer(address(0), to, id);
		}
	}

	function transfer(address to, uint256 id) external {
		address from = ownerOf[id];
		ownerOf[id] = to;
		emit Transfer(from, to, id);
	}
}

contract Plain1155 {
	event TransferSingle(
		address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value
	);
	event TransferBatch(
		address indexed operator,
		address indexed from,
		address indexed to,
		uint256[] ids,
		uint256[] values
	);

	string public name = "Plain Editions";

	function mint(address to, uint256 id, uint256 amount) external payable {
		emit TransferSingle(msg.sender, address(0), to, id, amount);
	}

	function mintBatch(address to, uint256[] calldata ids, uint256[] calldata amounts) external payable {
		emit TransferBatch(msg.sender, address(0), to, ids, amounts);
	}
}

contract Plain20 {
	event Transfer(address indexed from, address indexed to, uint256 value);

	function mint(address to, uint256 amount) external {
		emit Transfer(address(0), to, amount);
	}
}

contract Bundler {
	// One payment, several collections: its value is shared by all that is minted.
	function mintBoth(Plain721 a, uint256 countA, Plain721 b, uint256 countB) external payable {
		a.mint(msg.sender, countA);
		b.mint(msg.sender, countB);
	}
}

// Answers `name()` with whatever bytes it was given, or reverts, or answers two megabytes.
contract Liar721 {
	event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);

	bytes answer;
	uint256 mode;

	constructor(bytes memory answer_, uint256 mode_) {
		answer = answer_;
		mode = mode_;
	}

	function mint(address to, uint256 id) external payable {
		emit Transfer(address(0), to, id);
	}

	fallback() external {
		bytes memory out = answer;
		uint256 how = mode;
		assembly {
			if eq(how, 1) { revert(add(out, 32), mload(out)) }
			if eq(how, 2) { return(0, 2000000) }
			return(add(out, 32), mload(out))
		}
	}
}

// Emits a TransferBatch whose lists do not fit its data.
contract Broken1155 {
	function lie(bytes calldata data) external {
		bytes32 topic = keccak256("TransferBatch(address,address,address,uint256[],uint256[])");
		bytes memory copy = data;
		assembly {
			log4(add(copy, 32), mload(copy), topic, caller(), 0, caller())
		}
	}
}

// Repeats a log of three topics, word for word, from its own address.
contract Echo {
	function echo(bytes32 a, bytes32 b, bytes32 c, bytes calldata data) external {
		bytes memory copy = data;
		assembly {
			log3(add(copy, 32), mload(copy), a, b, c)
		}
	}
}

/// Shows one document for all tokens until it is told otherwise, and says so in the way it is told.
contract Reveal721 {
	event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);
	event MetadataUpdate(uint256 _tokenId);
	event BatchMetadataUpdate(uint256 _fromTokenId, uint256 _toTokenId);
	event ProvenanceHashUpdated(bytes32 oldHash, bytes32 newHash);

	string public name;
	uint256 public totalSupply;
	string public base;
	bool public isShared;
	string private tail;
	bool private ticks;
	uint256 private mutedBelow;
	uint256 private padding;
	mapping(uint256 => address) public ownerOf;

	constructor(string memory name_, string memory base_, bool isShared_) {
		name = name_;
		base = base_;
		isShared = isShared_;
	}

	function mint(address to, uint256 count) public payable {
		for (uint256 i = 0; i < count; i++) {
			uint256 id = ++totalSupply;
			ownerOf[id] = to;
			emit Transfer(address(0), to, id);
		}
	}

	/// The same, and one outside of their row.
	function mintWith(address to, uint256 count, uint256 id) external {
		mint(to, count);
		ownerOf[id] = to;
		emit Transfer(address(0), to, id);
	}

	/// `tells`: 0 nothing, 1 ERC-4906, 2 an event of its own, 3 a thousand events, 4 one of no range.
	function setBase(string calldata base_, bool isShared_, uint8 tells) external {
		base = base_;
		isShared = isShared_;
		if (tells == 1) emit BatchMetadataUpdate(1, type(uint256).max);
		if (tells == 2) emit ProvenanceHashUpdated(bytes32(0), keccak256(bytes(base_)));
		if (tells == 3) for (uint256 i = 0; i < 1000; i++) emit MetadataUpdate(1 + (i % totalSupply));
		if (tells == 4) emit BatchMetadataUpdate(0, 0);
	}

	function tell(uint256 id) external {
		emit MetadataUpdate(id);
	}

	/// Tokens below an id tell no URI; so many spaces, and a brace, follow what the others tell.
	function setOdd(uint256 mutedBelow_, uint256 padding_) external {
		(mutedBelow, padding) = (mutedBelow_, padding_);
	}

	function tokenURI(uint256 id) external view returns (string memory) {
		require(ownerOf[id] != address(0), "no such token");
		require(id >= mutedBelow, "not yet");
		if (isShared) return base;
		string memory tick = ticks ? string.concat("-", _digits(block.number)) : "";
		string memory told = string.concat(base, _digits(id), tick, tail);
		return padding == 0 ? told : string.concat(told, _spaces(padding), "}");
	}

	function _spaces(uint256 count) private pure returns (string memory) {
		bytes memory text = new bytes(count);
		for (uint256 at = 32; at <= count; at += 32) {
			assembly {
				mstore(add(text, at), 0x2020202020202020202020202020202020202020202020202020202020202020)
			}
		}
		return string(text);
	}

	/// What follows a token's number in its URI: `ticks` puts the number of the block there first.
	function setTail(string calldata tail_, bool ticks_) external {
		(tail, ticks) = (tail_, ticks_);
	}

	function _digits(uint256 id) private pure returns (string memory text) {
		while (id > 0) {
			text = string.concat(string(abi.encodePacked(uint8(48 + (id % 10)))), text);
			id /= 10;
		}
	}
}
