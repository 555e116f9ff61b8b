// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {ERC721Consecutive} from "@openzeppelin/contracts/token/ERC721/extensions/ERC721Consecutive.sol";
import {ERC1155} from "@openzeppelin/contracts/token/ERC1155/ERC1155.sol";

// Tokens of the best known library: minted as a range (ERC-2309) at first, one by one later.
contract Owned721 is ERC721Consecutive {
	constructor(address first, uint96 count) ERC721("Owned", "OWN") {
		if (count > 0) _mintConsecutive(first, count);
	}

	function mint(address to, uint256 from, uint256 count) external {
		for (uint256 id = from; id < from + count; id++) _mint(to, id);
	}

	function burn(uint256 id) external {
		_burn(id);
	}
}

contract Owned1155 is ERC1155 {
	constructor() ERC1155("") {}

	function mintBatch(address to, uint256[] calldata ids, uint256[] calldata amounts) external {
		_mintBatch(to, ids, amounts, "");
	}

	function burn(address from, uint256 id, uint256 amount) external {
		_burn(from, id, amount);
	}
}

// Claims 2^255 ids in one log, as ERC-2309 allows.
contract Endless721 {
	event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);
	event ConsecutiveTransfer(
		uint256 indexed fromTokenId, uint256 toTokenId, address indexed fromAddress, address indexed toAddress
	);

	function claim(address to) external {
		emit ConsecutiveTransfer(0, 2 ** 255 - 1, address(0), to);
		emit Transfer(address(0), to, 2 ** 255);
	}

	function give(address from, address to, uint256 id) external {
		emit Transfer(from, to, id);
	}
}
