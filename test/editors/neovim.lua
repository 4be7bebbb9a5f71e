-- Drives Neovim's own language client: opens a file, waits for what the server says, asks for everything that an editor asks for,
-- and writes what came back as JSON. Arguments by environment: CDR_SERVER (a command, its words as JSON), CDR_FILE, CDR_OUT.
local file, out = vim.env.CDR_FILE, vim.env.CDR_OUT
local found = { version = vim.version().major .. "." .. vim.version().minor }

local function finish()
  local handle = assert(io.open(out, "w"))
  handle:write(vim.fn.json_encode(found))
  handle:close()
  vim.cmd("qall!")
end

local function run()
  vim.cmd("edit " .. vim.fn.fnameescape(file))
  local buffer = vim.api.nvim_get_current_buf()
  vim.bo[buffer].filetype = "cdr"
  local command = vim.json.decode(vim.env.CDR_SERVER)
  local options = { name = "cdrc", cmd = command, root_dir = vim.fn.fnamemodify(file, ":h") }
  -- `vim.lsp.start` came with 0.8; Debian's is older.
  local id
  if vim.lsp.start then
    id = vim.lsp.start(options, { bufnr = buffer })
  else
    id = vim.lsp.start_client(options)
    vim.lsp.buf_attach_client(buffer, id)
  end
  found.attached = vim.wait(60000, function()
    local client = vim.lsp.get_client_by_id(id)
    return client ~= nil and client.initialized == true
  end, 10)
  local client = vim.lsp.get_client_by_id(id)
  found.server = client.server_capabilities ~= nil and vim.tbl_count(client.server_capabilities) > 10

  local function diagnostics(wanted)
    vim.wait(60000, function()
      local now = vim.diagnostic.get(buffer)
      return wanted(now)
    end, 10)
    return vim.tbl_map(function(d)
      return { line = d.lnum, column = d.col, message = d.message, severity = d.severity }
    end, vim.diagnostic.get(buffer))
  end
  found.before = diagnostics(function(now) return #now > 0 end)

  local function ask(method, params)
    local answers = vim.lsp.buf_request_sync(buffer, method, params, 60000) or {}
    for _, answer in pairs(answers) do
      if answer.error then return { error = answer.error.message } end
      return answer.result
    end
  end
  local document = { uri = vim.uri_from_bufnr(buffer) }
  local function at(line, character)
    return { textDocument = document, position = { line = line, character = character } }
  end

  found.hover = ask("textDocument/hover", at(7, 4))
  found.completion = ask("textDocument/completion", at(9, 2))
  found.definition = ask("textDocument/definition", at(13, 15))
  found.symbols = ask("textDocument/documentSymbol", { textDocument = document })
  found.hints = ask("textDocument/inlayHint", {
    textDocument = document,
    range = { start = { line = 0, character = 0 }, ["end"] = { line = 99, character = 0 } },
  })
  local here = at(8, 4)
  found.actions = ask("textDocument/codeAction", {
    textDocument = document,
    range = { start = here.position, ["end"] = here.position },
    context = { diagnostics = {} },
  })

  -- A fix, applied by the client, and the diagnostics that are left.
  for _, action in ipairs(found.actions or {}) do
    if action.kind == "quickfix" then
      vim.lsp.util.apply_workspace_edit(action.edit, client.offset_encoding or "utf-16")
      break
    end
  end
  found.fixed = vim.api.nvim_buf_get_lines(buffer, 8, 9, false)[1]
  found.after = diagnostics(function(now) return #now == 0 end)

  -- A rename, through the client's own command path.
  local renamed = ask("textDocument/rename", vim.tbl_extend("force", at(6, 7), { newName = "tiny" }))
  vim.lsp.util.apply_workspace_edit(renamed, client.offset_encoding or "utf-16")
  found.text = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), "\n")
  found.renamed = diagnostics(function(now) return #now == 0 end)

  -- All the rest, as it answers now that the file is right.
  local all = { start = { line = 0, character = 0 }, ["end"] = { line = 99, character = 0 } }
  local options = { tabSize = 2, insertSpaces = true }
  local function inside(range) return { textDocument = document, range = range } end
  local function actions(line, character)
    local place = at(line, character).position
    local range = { start = place, ["end"] = place }
    return ask("textDocument/codeAction", vim.tbl_extend("force", inside(range), { context = { diagnostics = {} } }))
  end
  found.later = {
    hints = ask("textDocument/inlayHint", inside(all)),
    lenses = ask("textDocument/codeLens", { textDocument = document }),
    on_number = actions(15, 15),
    references = ask("textDocument/references", vim.tbl_extend("force", at(6, 7), { context = { includeDeclaration = true } })),
    highlights = ask("textDocument/documentHighlight", at(6, 7)),
    signature = ask("textDocument/signatureHelp", at(17, 20)),
    formatting = ask("textDocument/formatting", { textDocument = document, options = options }),
    range_formatting = ask("textDocument/rangeFormatting", vim.tbl_extend("force", inside(all), { options = options })),
    on_type_formatting = ask("textDocument/onTypeFormatting", vim.tbl_extend("force", at(11, 1), { ch = "}", options = options })),
    tokens = ask("textDocument/semanticTokens/full", { textDocument = document }),
    folding = ask("textDocument/foldingRange", { textDocument = document }),
    selection = ask("textDocument/selectionRange", { textDocument = document, positions = { at(15, 15).position } }),
    links = ask("textDocument/documentLink", { textDocument = document }),
    workspace_symbols = ask("workspace/symbol", { query = "tiny" }),
    calls = ask("textDocument/prepareCallHierarchy", at(12, 8)),
    types = ask("textDocument/prepareTypeHierarchy", at(6, 7)),
    pulled = ask("textDocument/diagnostic", { textDocument = document }),
  }
  found.resolved = vim.tbl_map(function(lens) return lens.command and lens or ask("codeLens/resolve", lens) end, found.later.lenses)
  found.hover_chain = ask("textDocument/hover", at(15, 3))

  vim.lsp.stop_client(id)
  found.stopped = vim.wait(60000, function() return vim.lsp.client_is_stopped(id) end, 10)
end

local ok, problem = pcall(run)
if not ok then found.problem = tostring(problem) end
finish()
