// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";

/// A hidden collection whose documents are on somebody's server, and that comes out in any of the ways there are.
contract SandboxReveal is ERC721 {
	using Strings for uint256;

	event MetadataUpdate(uint256 _tokenId);
	event BatchMetadataUpdate(uint256 _fromTokenId, uint256 _toTokenId);
	event StartingIndexSet(uint256 startingIndex);

	error NotOwner();

	address private constant CONDUIT = 0x1E0049783F008A0085193E00003D00cd54003c71;

	address public immutable owner;
	uint256 public immutable price;
	bytes32 public immutable provenanceHash;
	uint256 public totalSupply;
	uint256 public startingIndex;
	/// While it is empty every token answers the document that all share.
	string private base;
	string private shared;
	mapping(uint256 => string) private own;

	modifier onlyOwner() {
		if (msg.sender != owner) revert NotOwner();
		_;
	}

	constructor(string memory name_, string memory shared_, string memory base_, uint256 price_, bytes32 provenanceHash_) ERC721(name_, "SOON") {
		(owner, shared, base, price, provenanceHash) = (msg.sender, shared_, base_, price_, provenanceHash_);
	}

	function mint(address to, uint256 quantity) external onlyOwner {
		for (uint256 i = 0; i < quantity; i++) _mint(to, ++totalSupply);
	}

	function setBase(string calldata base_, bool tells) external onlyOwner {
		base = base_;
		if (tells) emit BatchMetadataUpdate(1, totalSupply);
	}

	/// Which token has which document is known from now on.
	function setStartingIndex(string calldata base_, uint256 startingIndex_) external onlyOwner {
		(base, startingIndex) = (base_, startingIndex_ % totalSupply);
		emit StartingIndexSet(startingIndex);
	}

	/// Each token gets a URI of its own.
	function setEach(string calldata base_) external onlyOwner {
		for (uint256 id = 1; id <= totalSupply; id++) {
			own[id] = string.concat(base_, id.toString());
			emit MetadataUpdate(id);
		}
	}

	function tokenURI(uint256 id) public view override returns (string memory) {
		_requireOwned(id);
		if (bytes(own[id]).length > 0) return own[id];
		if (bytes(base).length == 0) return shared;
		return string.concat(base, ((id - 1 + startingIndex) % totalSupply + 1).toString());
	}

	/// As many collections do, so that sellers of the marketplace need not allow it first.
	function isApprovedForAll(address holder, address operator) public view override returns (bool) {
		return operator == CONDUIT || super.isApprovedForAll(holder, operator);
	}
}
