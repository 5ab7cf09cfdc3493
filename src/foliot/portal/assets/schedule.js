// The schedule in the job form: search in time zones, problems on their fields, small helps.
(function () {
  "use strict";

  var schedule = document.querySelector(".schedule");
  if (!schedule) return;
  var form = schedule.closest("form");
  var HOURS = "properties.recurrence.schedule.hours";
  var MINUTES = "properties.recurrence.schedule.minutes";

  function all(selector) {
    return Array.prototype.slice.call(schedule.querySelectorAll(selector));
  }
  function named(name) {
    return all("[name='" + name + "']");
  }
  function changed(element) {
    element.dispatchEvent(new Event("input", { bubbles: true }));
  }

  // A list of time zones under the input: arrows, Enter and Escape as in every list with search.
  function offerZones(input) {
    var zones = Array.prototype.map.call(document.getElementById(input.getAttribute("list")).options, function (option) {
      return { name: option.value, words: option.textContent };
    });
    var list = document.createElement("ul");
    list.id = "zone-list";
    list.className = "zone-list";
    list.hidden = true;
    list.setAttribute("role", "listbox");
    list.setAttribute("aria-label", "Matching zones");
    // Without this attribute the browser does not open a second list of its own.
    input.removeAttribute("list");
    input.setAttribute("role", "combobox");
    input.setAttribute("aria-autocomplete", "list");
    input.setAttribute("aria-expanded", "false");
    input.setAttribute("aria-controls", list.id);
    input.after(list);
    var chosen = -1;
    var before = input.value;

    function matches(text) {
      var wanted = text.trim().toLowerCase().replace(/\s+/g, "_");
      return zones.filter(function (zone) {
        return zone.name.toLowerCase().indexOf(wanted) >= 0 || zone.words.indexOf(text.trim().toLowerCase()) >= 0;
      });
    }
    function open(found) {
      list.textContent = "";
      found.forEach(function (zone, index) {
        var item = document.createElement("li");
        item.id = "zone-" + index;
        item.setAttribute("role", "option");
        item.setAttribute("aria-selected", "false");
        item.dataset.zone = zone.name;
        item.append(zone.name.replace(/_/g, " "));
        if (zone.words) {
          var words = document.createElement("span");
          words.textContent = zone.words;
          item.append(words);
        }
        list.append(item);
      });
      chosen = -1;
      list.hidden = !found.length;
      input.setAttribute("aria-expanded", String(!list.hidden));
      input.removeAttribute("aria-activedescendant");
    }
    function close() {
      list.hidden = true;
      input.setAttribute("aria-expanded", "false");
      input.removeAttribute("aria-activedescendant");
    }
    function move(step) {
      if (list.hidden) open(zones);
      var items = list.children;
      if (items[chosen]) items[chosen].setAttribute("aria-selected", "false");
      chosen = Math.max(0, Math.min(items.length - 1, chosen + step));
      if (!items[chosen]) return;
      items[chosen].setAttribute("aria-selected", "true");
      items[chosen].scrollIntoView({ block: "nearest" });
      input.setAttribute("aria-activedescendant", items[chosen].id);
    }
    function take(item) {
      input.value = before = item.dataset.zone;
      close();
      changed(input);
    }

    // The whole list first: the value in the field is what the user wants to change.
    input.addEventListener("focus", function () { before = input.value; input.select(); });
    input.addEventListener("click", function () { if (list.hidden) open(zones); });
    input.addEventListener("input", function () { if (input.value !== before) open(matches(input.value)); });
    input.addEventListener("keydown", function (event) {
      if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        event.preventDefault();
        move(event.key === "ArrowDown" ? 1 : -1);
      } else if (event.key === "Enter" && !list.hidden) {
        event.preventDefault();
        var item = list.children[Math.max(chosen, 0)];
        if (item) take(item);
      } else if (event.key === "Escape" && !list.hidden) {
        event.preventDefault();
        close();
      }
    });
    input.addEventListener("blur", close);
    // Before blur, which would close the list.
    list.addEventListener("mousedown", function (event) {
      event.preventDefault();
      var item = event.target.closest("li");
      if (item) take(item);
    });
  }

  // The first hour brings minute 00; without it the job would run at the minute of its first run.
  function addFirstMinute(box) {
    var hours = named(HOURS).filter(function (each) { return each.checked; });
    var minutes = named(MINUTES).concat(named(MINUTES + ":more"));
    var hasMinutes = minutes.some(function (each) { return each.type === "checkbox" ? each.checked : each.value.trim(); });
    if (box.checked && hours.length === 1 && !hasMinutes) named(MINUTES)[0].checked = true;
  }

  // Hours and minutes begin with those of the times.
  function copyTimes() {
    var isEmpty = !named(HOURS).concat(named(MINUTES)).some(function (each) { return each.checked; });
    if (!isEmpty) return;
    var others = [];
    named("time").forEach(function (input) {
      var parts = input.value.split(":");
      if (parts.length < 2) return;
      named(HOURS).forEach(function (box) { if (Number(box.value) === Number(parts[0])) box.checked = true; });
      var minute = named(MINUTES).filter(function (box) { return Number(box.value) === Number(parts[1]); })[0];
      if (minute) minute.checked = true;
      else others.push(Number(parts[1]));
    });
    if (others.length) named(MINUTES + ":more")[0].value = others.join(", ");
  }

  function nameUnits() {
    var many = ["", "1"].indexOf(named("properties.recurrence.interval")[0].value.trim()) < 0;
    all("[data-unit] option").forEach(function (option) { option.textContent = option.value + (many ? "s" : ""); });
  }

  // Remove one element from those that describe an input, and add another.
  function describe(input, removed, added) {
    var ids = (input.getAttribute("aria-describedby") || "").split(" ").filter(function (id) { return id && id !== removed; });
    if (added) ids.unshift(added);
    if (ids.length) input.setAttribute("aria-describedby", ids.join(" "));
    else input.removeAttribute("aria-describedby");
  }

  // Live problems replace those of the server, each below its field.
  function showProblems(part) {
    var scope = [schedule, document.getElementById("policies")];
    scope.forEach(function (root) {
      root.querySelectorAll(".problem.live").forEach(function (each) { each.remove(); });
      root.querySelectorAll("[data-live]").forEach(function (each) {
        each.removeAttribute("aria-invalid");
        describe(each, each.dataset.live, "");
        delete each.dataset.live;
      });
    });
    part.querySelectorAll("[data-field]").forEach(function (each) {
      var field = each.dataset.field && document.getElementById(each.dataset.field);
      if (!field || document.getElementById(each.dataset.field + "-problem")) return;
      var words = document.createElement("p");
      words.className = "problem live";
      words.id = each.dataset.field + "-live";
      words.textContent = each.dataset.words;
      var box = field.closest(".plain-row") || field.closest(".field") || field.parentElement;
      if (box.classList.contains("plain-row")) box.after(words);
      else box.append(words);
      var input = field.matches("input,select,textarea") ? field : field.querySelector("input,select,textarea");
      if (!input) return;
      input.dataset.live = words.id;
      input.setAttribute("aria-invalid", "true");
      describe(input, "", words.id);
    });
    var sentence = part.querySelector(".sentence");
    all("[data-sentence]").forEach(function (each) { each.textContent = sentence ? sentence.textContent : ""; });
  }

  schedule.addEventListener("change", function (event) {
    var target = event.target;
    if (target.name === HOURS) addFirstMinute(target);
    if (target.name === "times_by" && target.checked) copyTimes();
    if (target.name === "repeat" && target.value === "once") {
      var next = named("first").filter(function (each) { return each.checked && !each.value; })[0];
      if (next) named("first").forEach(function (each) { each.checked = each.value === "at"; });
    }
  });
  schedule.addEventListener("input", function (event) {
    if (event.target.name === "properties.recurrence.interval") nameUnits();
    // A problem that the server found is out of date as soon as its field changes.
    if (event.target.id) {
      var told = document.getElementById(event.target.id + "-problem");
      if (told) {
        told.remove();
        event.target.removeAttribute("aria-invalid");
        describe(event.target, told.id, "");
      }
    }
  });
  document.addEventListener("htmx:afterSwap", function (event) {
    if (event.detail.target.id === "preview") showProblems(event.detail.target);
  });

  all("[data-zones]").forEach(offerZones);
  if (form) nameUnits();
})();
